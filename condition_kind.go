package weir

import (
	"encoding/json"
	"slices"
)

// kind is a kind of settings, whatever the type of their values.
type kind interface {
	name() string
	describe(DUTSetting) string
	listLevels(DUTSetting) Factors
	locate(DUTSetting) (where layer, what string)
	findConflicts(DUTSetting, Condition) Problems
	whyAlone(DUTSetting) string
	refuses(DUTSetting, Traffic) Problems
	replaces(s, o DUTSetting) bool
	setsNothing(DUTSetting) bool
	document(Condition) any
	read(json.RawMessage) ([]DUTSetting, error)
}

// layer is where in a DUT a setting works on frames.
type layer int

// The layers.
const (
	elsewhere    layer = iota // on no frame by itself
	inDriver                  // in the drivers of the ports: it takes frames before all that is behind these
	behindDriver              // behind them
)

// kindOf is the entry of a kind in the table.
type kindOf[T interface {
	comparable
	DUTSetting
}] struct {
	key       string                      // in JSON
	words     func(T) string              // for people: "25 filters"
	levels    func(T) Factors             // as results have it
	where     func(T) (layer, string)     // it works, and what that is in a sentence; nil: elsewhere
	conflicts func(T, Condition) Problems // with other settings, or in itself; nil: none
	alone     func(T) string              // why DUTs side by side cannot have it; nil: they can
	cannot    func(T, Traffic) Problems   // be measured with a traffic; nil: it can with any
	called    func(T) string              // tells several of a condition apart; nil: there is one
	nothing   func(T) bool                // whether a value sets nothing; nil: the zero value alone does not
}

func (k *kindOf[T]) name() string                    { return k.key }
func (k *kindOf[T]) describe(s DUTSetting) string    { return k.words(s.(T)) }
func (k *kindOf[T]) listLevels(s DUTSetting) Factors { return k.levels(s.(T)) }

func (k *kindOf[T]) locate(s DUTSetting) (layer, string) {
	if k.where == nil {
		return elsewhere, ""
	}
	return k.where(s.(T))
}

func (k *kindOf[T]) findConflicts(s DUTSetting, c Condition) Problems {
	if k.conflicts == nil {
		return nil
	}
	return k.conflicts(s.(T), c)
}

func (k *kindOf[T]) whyAlone(s DUTSetting) string {
	if k.alone == nil {
		return ""
	}
	return k.alone(s.(T))
}

func (k *kindOf[T]) refuses(s DUTSetting, t Traffic) Problems {
	if k.cannot == nil {
		return nil
	}
	return k.cannot(s.(T), t)
}

func (k *kindOf[T]) replaces(s, o DUTSetting) bool {
	other, same := o.(T)
	return same && (k.called == nil || k.called(s.(T)) == k.called(other))
}

func (k *kindOf[T]) setsNothing(s DUTSetting) bool {
	var zero T
	return s.(T) == zero || k.nothing != nil && k.nothing(s.(T))
}

// document returns the value of the kind's field in JSON; nil where a condition has none.
func (k *kindOf[T]) document(c Condition) any {
	switch all := settingsOf[T](c); {
	case len(all) == 0:
		return nil
	case k.called != nil:
		return all
	default:
		return all[0]
	}
}

// read reads what document returns.
func (k *kindOf[T]) read(text json.RawMessage) (out []DUTSetting, err error) {
	all := make([]T, 1)
	if k.called != nil {
		err = json.Unmarshal(text, &all)
	} else {
		err = json.Unmarshal(text, &all[0])
	}
	for _, v := range all {
		out = append(out, v)
	}
	return slices.DeleteFunc(out, k.setsNothing), err
}
