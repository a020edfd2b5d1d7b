package endhost

// seen are the datagrams of a stream that have arrived.
type seen struct {
	bits []uint64 // one for each number
	next uint64   // the highest number so far, and one

	fresh, late, duplicate uint64
}

// longestGap is how many datagrams in a row may be lost: a number further ahead
// is none of a datagram that was sent.
const longestGap = 1 << 30

// mark counts a datagram, and reports whether it is one that was not seen before.
func (s *seen) mark(number uint64) bool {
	if number >= s.next+longestGap {
		return false
	}
	word, bit := number/64, uint64(1)<<(number%64)
	for word >= uint64(len(s.bits)) {
		s.bits = append(s.bits, make([]uint64, max(len(s.bits), 1<<14))...)
	}
	if s.bits[word]&bit != 0 {
		s.duplicate++
		return false
	}
	s.bits[word] |= bit
	s.fresh++
	if number < s.next {
		s.late++
	} else {
		s.next = number + 1
	}
	return true
}
