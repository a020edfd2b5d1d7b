package endhost

// parts are those that Run can play, by name.
var parts = map[string]part{
	"connections-make":  with(makeConnections),
	"connections-serve": with(serveConnections),
	"disk":              with(timeDisk),
	"echo-send":         with(sendEchoes),
	"echo-serve":        with(serveEchoes),
	"files-check":       with(checkFiles),
	"files-forget":      with(forgetFiles),
	"files-make":        with(makeFiles),
	"files-room":        with(filesRoom),
	"files-sync":        with(syncFiles),
	"http-serve":        with(serveHTTP),
	"path-probe":        with(probePath),
	"stream-send":       with(sendStreams),
	"stream-serve":      with(serveStreams),
}
