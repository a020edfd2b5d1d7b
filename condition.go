package weir

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Condition is how the DUT is set while frames are sent, beside forwarding: its settings, in the
// order of the table of their kinds, and tunings in the order in which they are set. None: a DUT
// that only forwards. Put keeps it so.
type Condition []DUTSetting

// A DUTSetting is one thing that a DUT is set to: a value of a type that the table of kinds has.
type DUTSetting interface{ kind() kind }

// ConditionOf returns the condition of settings.
func ConditionOf(settings ...DUTSetting) (c Condition) {
	for _, s := range settings {
		c.Put(s)
	}
	return c
}

// Put adds a setting in place of the one of its kind, and a tuning in place of the one of its name.
// One that sets nothing takes that away. Conditions that share the list keep what they have.
func (c *Condition) Put(s DUTSetting) {
	place := func(o DUTSetting) int { return slices.Index(kinds, o.kind()) }
	out := slices.DeleteFunc(slices.Clone(*c), func(o DUTSetting) bool { return s.kind().replaces(s, o) })
	if !s.kind().setsNothing(s) {
		at := slices.IndexFunc(out, func(o DUTSetting) bool { return place(o) > place(s) })
		if at < 0 {
			at = len(out)
		}
		out = slices.Insert(out, at, s)
	}
	*c = nil
	if len(out) > 0 {
		*c = out
	}
}

// settingsOf returns the settings of a kind that a condition has.
func settingsOf[T DUTSetting](c Condition) (out []T) {
	for _, s := range c {
		if v, is := s.(T); is {
			out = append(out, v)
		}
	}
	return out
}

// settingOf returns the one setting of a kind; the zero value where there is none.
func settingOf[T DUTSetting](c Condition) (v T) {
	if all := settingsOf[T](c); len(all) > 0 {
		v = all[0]
	}
	return v
}

// Filters returns how many rules every frame is held against; 0: none.
func (c Condition) Filters() int { return int(settingOf[Filters](c)) }

// Management reports whether an SNMP agent answers queries.
func (c Condition) Management() bool { return bool(settingOf[Management](c)) }

// Updates reports whether a routing update is the first frame of each trial.
func (c Condition) Updates() bool { return bool(settingOf[Updates](c)) }

// Routes returns the made-up routes; none in the zero value.
func (c Condition) Routes() RouteSet { return settingOf[RouteSet](c) }

// NAPI returns how the DUT takes frames from its ports; "": as the testbed does.
func (c Condition) NAPI() NAPI { return settingOf[NAPI](c) }

// Path returns the way of a frame through the DUT; "": that of its operating system.
func (c Condition) Path() Path { return settingOf[Path](c) }

// Firewall returns the one that each frame passes; none in the zero value.
func (c Condition) Firewall() Firewall { return settingOf[Firewall](c) }

// Access returns how the end host at the first port is connected; by IP in the zero value.
func (c Condition) Access() Access { return settingOf[Access](c) }

// Tunings returns what else is set, in this order.
func (c Condition) Tunings() []Tuning { return settingsOf[Tuning](c) }

// ByHand names the level that a person sets the DUT to; "": nobody has to.
func (c Condition) ByHand() string {
	for _, t := range c.Tunings() {
		if t.ByHand() {
			return t.Arm
		}
	}
	return ""
}

// Equal reports whether two conditions are the same.
func (c Condition) Equal(o Condition) bool { return slices.Equal(c, o) }

// IsZero reports whether the DUT only forwards, as its operating system does.
func (c Condition) IsZero() bool { return len(c) == 0 }

// String names the condition, for people: "25 filters, 10000 routes"; "plain"
// where there are no settings.
func (c Condition) String() string {
	var parts []string
	for _, s := range c {
		parts = append(parts, s.kind().describe(s))
	}
	return cmp.Or(strings.Join(parts, ", "), "plain")
}

// Factors returns the levels of its settings as results have them.
func (c Condition) Factors() Factors {
	f := make(Factors)
	for _, s := range c {
		maps.Copy(f, s.kind().listLevels(s))
	}
	return f
}

// MarshalJSON writes an object with a field for each kind.
func (c Condition) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false) // which is for the whole document to say
	for _, k := range kinds {
		value := k.document(c)
		if value == nil {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", k.name())
		if err := out.Encode(value); err != nil {
			return nil, err
		}
	}
	return fmt.Appendf(nil, "{%s}", &b), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Condition) UnmarshalJSON(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	*c = nil
	for _, k := range kinds {
		if value, there := fields[k.name()]; there {
			settings, err := k.read(value)
			if err != nil {
				return fmt.Errorf("%s: %w", k.name(), err)
			}
			*c = append(*c, settings...)
		}
	}
	return nil
}
