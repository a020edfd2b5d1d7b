package method

import "fmt"

// NotApplicableError says that a method has no meaning for this DUT or medium:
// its RFC leaves it out there. Nothing has gone wrong.
type NotApplicableError struct {
	Method string // its name
	Why    string // and what would have to be otherwise
}

func (e *NotApplicableError) Error() string {
	return fmt.Sprintf("%s does not apply: %s", e.Method, e.Why)
}
