package figures

import (
	"cmp"
	"slices"
	"strconv"

	"weir"
	"weir/internal/document"
	"weir/internal/result"
)

// data is a column of results that programs have, and people do not see.
func data(key string, value func(r resultRow) string) document.Column[resultRow] {
	return document.Column[resultRow]{Key: key, Value: value}
}

// numeral is a column of a number that is always known.
func numeral(key string, of func(r resultRow) float64) document.Column[resultRow] {
	return data(key, func(r resultRow) string { return Exact(of(r)) })
}

// identityColumns say which result it is.
var identityColumns = []document.Column[resultRow]{
	data("campaign", func(r resultRow) string { return r.c.ID }),
	data("simulated", func(r resultRow) string { return strconv.FormatBool(r.Simulated) }),
	data("method", func(r resultRow) string { return r.Method }),
	data("claim", func(r resultRow) string { return r.Claim.Name }),
}

// runColumns are the place of a run in the order.
var runColumns = []document.Column[resultRow]{
	data("run", func(r resultRow) string { return strconv.Itoa(r.Run.Number) }),
	data("block", func(r resultRow) string { return strconv.Itoa(r.Run.Block) }),
	data("replicate", func(r resultRow) string { return strconv.Itoa(r.Run.Replicate) }),
	data("arm", func(r resultRow) string { return r.Run.Arm }),
	data("again", func(r resultRow) string { return strconv.FormatBool(r.Run.Again) }),
}

// valueColumns are what every result has.
var valueColumns = slices.Concat([]document.Column[resultRow]{
	metricColumn("value", "", valueOf),
	data("unit", func(r resultRow) string { return r.Unit }),
	metricColumn("value", "lower", lowerOf),
	metricColumn("value", "upper", upperOf),
	numeral("loss_ratio", func(r resultRow) float64 { return r.LossRatio }),
	numeral("exceed_ratio", func(r resultRow) float64 { return r.ExceedRatio }),
	numeral("width", func(r resultRow) float64 { return r.Width }),
	numeral("trial_seconds", func(r resultRow) float64 { return r.TrialSeconds }),
	data("trials", func(r resultRow) string { return strconv.Itoa(r.Trials) }),
	numeral("search_seconds", func(r resultRow) float64 { return r.SearchTime }),
}, metricColumns(result.Secondary), []document.Column[resultRow]{
	numeral("mean_frame_size", func(r resultRow) float64 { return r.MeanSize }),
	data("offered", func(r resultRow) string { return strconv.FormatUint(r.Ledger.Offered, 10) }),
	data("received", func(r resultRow) string { return strconv.FormatUint(r.Ledger.Received, 10) }),
	data("drops", func(r resultRow) string { return joinedWith("; ", r.Ledger.Drops, dropText) }),
	data("unexplained", func(r resultRow) string { return strconv.FormatInt(r.Ledger.Unexplained, 10) }),
	data("warnings", func(r resultRow) string { return codeList(r.Warnings) }),
	data("verdict", func(r resultRow) string { return r.Verdict }),
	data("figures", func(r resultRow) string { return joinedWith("; ", r.Figures, figureText) }),
	data("curve", func(r resultRow) string { return joinedWith("; ", r.Curve, pointText) }),
	data("load_share", func(r resultRow) string {
		if l := loadOf(*r.c, r.Result); l.Rate > 0 {
			return Exact(l.Share)
		}
		return ""
	}),
})

// metricColumns returns the columns of a group of metrics.
func metricColumns(g result.Group) (out []document.Column[resultRow]) {
	for _, m := range result.Metrics(g) {
		out = append(out, metricColumn(m.ID, m.ID, valueOf))
		if m.Range {
			out = append(out, metricColumn(m.ID, m.ID+"_lower", lowerOf), metricColumn(m.ID, m.ID+"_upper", upperOf))
		}
	}
	return out
}

// metricColumn returns a column of a metric, or of one of its bounds; key "": that of the metric.
func metricColumn(id, key string, of func(result.Value) string) document.Column[resultRow] {
	m := result.Named(id)
	return data(cmp.Or(key, id), func(r resultRow) string {
		if v, known := m.Of(r.Result); known {
			return of(v)
		}
		return ""
	})
}

func valueOf(v result.Value) string { return Exact(v.Value) }
func lowerOf(v result.Value) string { return bound(v, v.Lower) }
func upperOf(v result.Value) string { return bound(v, v.Upper) }

// bound returns one of the bounds of a value, where it has some.
func bound(v result.Value, of float64) string {
	if !v.Bounded {
		return ""
	}
	return Exact(of)
}

// transferredColumns are why a result has no value, the server's side, the test, the
// streams, the files with their size and storage, and the rates of the seconds.
var transferredColumns = []document.Column[resultRow]{
	data("unmeasured", func(r resultRow) string { return r.Unmeasured }),
	data("server", func(r resultRow) string { return string(r.Server) }),
	transferData("test", func(t *weir.Transfer) string { return t.Test }),
	transferData("streams", func(t *weir.Transfer) string { return strconv.Itoa(max(t.Streams, 1)) }),
	transferData("files", func(t *weir.Transfer) string { return strconv.Itoa(t.Files) }),
	transferData("file_size", func(t *weir.Transfer) string { return strconv.FormatInt(t.FileSize, 10) }),
	transferData("storage", func(t *weir.Transfer) string { return string(t.Storage) }),
	data("rates", func(r resultRow) string { return joinedWith(" ", r.Rates, Exact) }),
}

// transferData is a column of what a transfer was.
func transferData(key string, of func(t *weir.Transfer) string) document.Column[resultRow] {
	return data(key, func(r resultRow) string {
		if r.Transfer == nil {
			return ""
		}
		return of(r.Transfer)
	})
}

// doubtfulColumn says of a sweep whether any of its figures is doubtful.
var doubtfulColumn = data("doubtful", func(r resultRow) string {
	if !result.InWindows(r.Result) {
		return ""
	}
	return strconv.FormatBool(result.Doubtful(r.Result))
})
