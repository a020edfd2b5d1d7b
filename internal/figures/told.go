package figures

// A Told is what several texts say that differ in numbers only, with the rows that they
// are about.
type Told struct {
	About  []string
	at     string // texts of other places are apart
	first  wording
	more   int // texts alike beside the first
	ranges []between
}

// Tellings are texts, each once.
type Tellings []*Told

// of is what says the same as a text at a place; nil where nothing does.
func (l Tellings) of(at string, text wording) *Told {
	for _, t := range l {
		if t.at == at && t.first.shape() == text.shape() {
			return t
		}
	}
	return nil
}

// Add tells a text of a place that is about a row, and reports whether it was told
// before.
func (l *Tellings) Add(at string, text wording, about string) (t *Told, there bool) {
	if t = l.of(at, text); t == nil {
		t = &Told{About: []string{about}, at: at, first: text}
		for _, a := range text.Amounts {
			t.ranges = append(t.ranges, between{a, a})
		}
		*l = append(*l, t)
		return t, false
	}
	t.About = With(t.About, about)
	t.more++
	for i, a := range text.Amounts {
		t.ranges[i].widen(a)
	}
	return t, true
}

// Text is what all of them say.
func (t *Told) Text() string { return joined(t.first, t.more, t.ranges) }
