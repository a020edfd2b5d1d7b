package pppoe

// State is one of the automaton that LCP and each NCP are (RFC 1661 section 4.2).
type State uint8

// The states, in the RFC's order.
const (
	Initial State = iota
	Starting
	Closed
	Stopped
	Closing
	Stopping
	ReqSent
	AckRcvd
	AckSent
	Opened
	illegal // no state: "an event that cannot occur in a properly implemented automaton"
)

// timed are the states in which the Restart timer runs.
func (s State) timed() bool { return s >= Closing && s <= AckSent }

// event is one of section 4.3.
type event uint8

const (
	evUp event = iota
	evDown
	evOpen
	evClose
	evTimeout    // TO+
	evExhausted  // TO-
	evRequest    // RCR+
	evBadRequest // RCR-
	evAck        // RCA
	evNak        // RCN
	evTerminate  // RTR
	evTerminated // RTA
	evUnknown    // RUC
	evRejected   // RXJ+
	evFatal      // RXJ-
	evEcho       // RXR
)

// action is one of section 4.4. Those of a transition are done from the lowest
// bit on: "multiple actions may be implemented in any convenient order".
type action uint16

const (
	tld        action = 1 << iota // This-Layer-Down
	irc                           // Initialize-Restart-Count
	zrc                           // Zero-Restart-Count
	scr                           // Send-Configure-Request
	sca                           // Send-Configure-Ack
	scn                           // Send-Configure-Nak or -Reject
	str                           // Send-Terminate-Request
	sta                           // Send-Terminate-Ack
	scj                           // Send-Code-Reject
	ser                           // Send-Echo-Reply
	tlu                           // This-Layer-Up
	tls                           // This-Layer-Started
	tlf                           // This-Layer-Finished
	lastAction = tlf
)

type transition struct {
	actions action
	next    State
}

var never = transition{next: illegal}

// transitions is the table of RFC 1661 section 4.1, without the options that
// its letters p and r stand for: a PPPoE session ends with its LCP.
var transitions = [...][illegal]transition{
	// 0 Initial, 1 Starting, 2 Closed, 3 Stopped, 4 Closing, 5 Stopping, 6 Req-Sent, 7 Ack-Rcvd, 8 Ack-Sent, 9 Opened
	evUp:         {{0, 2}, {irc | scr, 6}, never, never, never, never, never, never, never, never},
	evDown:       {never, never, {0, 0}, {tls, 1}, {0, 0}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {tld, 1}},
	evOpen:       {{tls, 1}, {0, 1}, {irc | scr, 6}, {0, 3}, {0, 5}, {0, 5}, {0, 6}, {0, 7}, {0, 8}, {0, 9}},
	evClose:      {{0, 0}, {tlf, 0}, {0, 2}, {0, 2}, {0, 4}, {0, 4}, {irc | str, 4}, {irc | str, 4}, {irc | str, 4}, {tld | irc | str, 4}},
	evTimeout:    {never, never, never, never, {str, 4}, {str, 5}, {scr, 6}, {scr, 6}, {scr, 8}, never},
	evExhausted:  {never, never, never, never, {tlf, 2}, {tlf, 3}, {tlf, 3}, {tlf, 3}, {tlf, 3}, never},
	evRequest:    {never, never, {sta, 2}, {irc | scr | sca, 8}, {0, 4}, {0, 5}, {sca, 8}, {sca | tlu, 9}, {sca, 8}, {tld | scr | sca, 8}},
	evBadRequest: {never, never, {sta, 2}, {irc | scr | scn, 6}, {0, 4}, {0, 5}, {scn, 6}, {scn, 7}, {scn, 6}, {tld | scr | scn, 6}},
	evAck:        {never, never, {sta, 2}, {sta, 3}, {0, 4}, {0, 5}, {irc, 7}, {scr, 6}, {irc | tlu, 9}, {tld | scr, 6}},
	evNak:        {never, never, {sta, 2}, {sta, 3}, {0, 4}, {0, 5}, {irc | scr, 6}, {scr, 6}, {irc | scr, 8}, {tld | scr, 6}},
	evTerminate:  {never, never, {sta, 2}, {sta, 3}, {sta, 4}, {sta, 5}, {sta, 6}, {sta, 6}, {sta, 6}, {tld | zrc | sta, 5}},
	evTerminated: {never, never, {0, 2}, {0, 3}, {tlf, 2}, {tlf, 3}, {0, 6}, {0, 6}, {0, 8}, {tld | scr, 6}},
	evUnknown:    {never, never, {scj, 2}, {scj, 3}, {scj, 4}, {scj, 5}, {scj, 6}, {scj, 7}, {scj, 8}, {scj, 9}},
	evRejected:   {never, never, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 6}, {0, 8}, {0, 9}},
	evFatal:      {never, never, {tlf, 2}, {tlf, 3}, {tlf, 2}, {tlf, 3}, {tlf, 3}, {tlf, 3}, {tlf, 3}, {tld | irc | str, 5}},
	evEcho:       {never, never, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 8}, {ser, 9}},
}
