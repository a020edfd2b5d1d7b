package plan

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"weir"
	"weir/frame"
)

// parseDuration reads "1s", "50ms", "20us" or 0.
func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		if _, bare := strconv.ParseFloat(s, 64); bare == nil {
			return 0, fmt.Errorf("%s needs a unit: %ss, %sms or %sus", s, s, s, s)
		}
		return 0, fmt.Errorf("%q is not a duration such as 1s, 50ms or 20us", s)
	}
	if d < 0 {
		return 0, fmt.Errorf("%s is negative", s)
	}
	return d, nil
}

// within bounds what parse reads from low to high, both included.
func within[T int | uint16 | uint8 | float64 | time.Duration](parse func(string) (T, error), low, high T) func(string) (T, error) {
	return func(s string) (T, error) {
		v, err := parse(s)
		if err == nil && (v < low || v > high) {
			err = fmt.Errorf("%s is outside of %v to %v", s, low, high)
		}
		return v, err
	}
}

// parsePercent reads "0.5%" as 0.005. A bare number other than 0 is refused:
// in this trade 0.5 has meant a half as often as a half percent.
func parsePercent(s string) (float64, error) {
	v, err := parsePercents(s)
	if err == nil && v > 1 {
		err = fmt.Errorf("%s is outside of 0%% to 100%%", s)
	}
	return v, err
}

// parsePercents is parsePercent for shares that may be more than all.
func parsePercents(s string) (float64, error) {
	digits, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%q is not a percentage such as 0.5%%", s)
	case !percent && v != 0:
		return 0, fmt.Errorf("%s needs a percent sign: %s%% or %s%%", s, s, strconv.FormatFloat(v*100, 'g', 6, 64))
	case v < 0:
		return 0, fmt.Errorf("%s is below 0%%", s)
	}
	return v / 100, nil
}

// parseRatio is parsePercent for shares of which all is no goal.
func parseRatio(s string) (float64, error) {
	v, err := parsePercent(s)
	if err == nil && v >= 1 {
		err = fmt.Errorf("%s would accept everything: it must be below 100%%", s)
	}
	return v, err
}

// parsePart is parsePercent for a part of all frames, which is not all of them.
func parsePart(s string) (float64, error) {
	v, err := parsePercent(s)
	if err == nil && v >= 1 {
		err = fmt.Errorf("%s leaves no other frames: it must be below 100%%", s)
	}
	return v, err
}

// parseStep is parsePercent for the steps of a load.
func parseStep(s string) (float64, error) {
	v, err := parsePercent(s)
	if err == nil && (v < 0.001 || v > 0.5) {
		err = fmt.Errorf("%s is no step: 0.1%% to 50%%", s)
	}
	return v, err
}

// parseWidth is parseRatio for a width, which 0 would make an endless search.
func parseWidth(s string) (float64, error) {
	v, err := parseRatio(s)
	if err == nil && v < 1e-4 {
		err = fmt.Errorf("%s is too narrow to be reached: at least 0.01%%", s)
	}
	return v, err
}

// parseLoad is parsePercent for a load, which cannot be 0.
func parseLoad(s string) (float64, error) {
	v, err := parsePercent(s)
	if err == nil && v == 0 {
		err = errors.New("no load is no trial: above 0% to 100%")
	}
	return v, err
}

// parseOverload is parseLoad for a load that may be above what it is a share of.
func parseOverload(s string) (float64, error) {
	v, err := parsePercents(s)
	if err == nil && (v == 0 || v > mostLoad) {
		err = fmt.Errorf("%s is no load: above 0%% to %d%%", s, mostLoad*100)
	}
	return v, err
}

// parseCount reads a whole number that may be written with a scale: 500000,
// 500k, 1M.
func parseCount(s string) (int, error) {
	if v, err := parseInt(s); err == nil {
		return v, nil
	}
	v, err := ParseRate(s)
	if err != nil || v != math.Trunc(v) || v > math.MaxInt32 {
		return 0, fmt.Errorf("%q is not a whole number such as 10000, 10k or 1M", s)
	}
	return int(v), nil
}

// parseSpan reads two frame sizes with a dash: 350-550.
func parseSpan(s string) ([2]weir.Size, error) {
	low, high, ok := strings.Cut(s, "-")
	first, err1 := parseInt(strings.TrimSpace(low))
	last, err2 := parseInt(strings.TrimSpace(high))
	if ok && err1 == nil && err2 == nil && last < first {
		return [2]weir.Size{}, fmt.Errorf("%q has its bounds swapped: %d-%d", s, last, first)
	}
	if !ok || err1 != nil || err2 != nil || first == 0 || last > frame.MaxSize {
		return [2]weir.Size{}, fmt.Errorf("%q is no range of frame sizes such as 350-550", s)
	}
	return [2]weir.Size{weir.Size(first), weir.Size(last)}, nil
}

var scales = map[byte]float64{'k': 1e3, 'K': 1e3, 'M': 1e6, 'm': 1e6, 'G': 1e9, 'g': 1e9, 'T': 1e12}

// ParseRate reads a number of frames/s or bit/s: 50000, 1_200_000, "500k",
// "1.2M" or "10G", with k = 1000.
func ParseRate(s string) (float64, error) {
	digits, scale := strings.ReplaceAll(s, "_", ""), 1.0
	if n := len(digits); n > 1 && scales[digits[n-1]] != 0 {
		scale, digits = scales[digits[n-1]], digits[:n-1]
	}
	v, err := strconv.ParseFloat(digits, 64)
	if v *= scale; err != nil || math.IsNaN(v) || v > 1e15 {
		return 0, fmt.Errorf("%q is not a rate such as 50000, 500k or 1.2M", s)
	}
	if v <= 0 {
		return 0, fmt.Errorf("%s is no rate: it must be above 0", s)
	}
	return v, nil
}

// parseFraction reads a plain number from 0 up, such as 0.3.
func parseFraction(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0, fmt.Errorf("%q is not a number from 0 up", s)
	}
	return v, nil
}

// parseSigned reads a plain number such as -0.001.
func parseSigned(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return v, nil
}

// parseUint reads a decimal number or a hexadecimal one with 0x; underscores
// may group the digits.
func parseUint(s string, bits int) (uint64, error) {
	digits, base := strings.ReplaceAll(s, "_", ""), 10
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		digits, base = hex, 16
	}
	v, err := strconv.ParseUint(digits, base, bits)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is too large: at most %d", s, uint64(math.MaxUint64)>>(64-bits))
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number from 0 up", s)
	}
	return v, nil
}

func parseUint64(s string) (uint64, error) { return parseUint(s, 64) }

func parseUint16(s string) (uint16, error) {
	v, err := parseUint(s, 16)
	return uint16(v), err
}

func parseUint8(s string) (uint8, error) {
	v, err := parseUint(s, 8)
	return uint8(v), err
}

func parseInt(s string) (int, error) {
	v, err := parseUint(s, 31)
	return int(v), err
}

func parseBool(s string) (bool, error) {
	switch s {
	case "true", "yes":
		return true, nil
	case "false", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", s)
}

// parseSize reads a frame size; whether frames of it can be made is for the
// frame package to say.
func parseSize(s string) (int, error) {
	v, err := parseInt(s)
	if err != nil {
		return 0, fmt.Errorf("%q is no frame size: octets with the FCS such as 64, imix, or {name: mymix, genome: aaad}", s)
	}
	return v, nil
}

// parseTPID reads the EtherType of a VLAN tag.
func parseTPID(s string) (uint16, error) {
	v, err := parseUint16(s)
	if err == nil && v != 0x8100 && v != 0x88a8 {
		err = fmt.Errorf("%s is no tag: 0x8100 (802.1Q) or 0x88a8 (802.1ad)", s)
	}
	return v, err
}

func parseAddress(s string, family weir.Family) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return netip.Addr{}, fmt.Errorf("%q is not an address of %s", s, family)
	}
	if a.Is4() != (family == weir.IPv4) {
		return netip.Addr{}, fmt.Errorf("%s is not an address of %s, the family of this traffic", s, family)
	}
	return a, nil
}
