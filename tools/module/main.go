// Command module copies weir's tree under another module path, and writes that copy as a module
// proxy of plain files, which GOPROXY=file://FOLDER takes.
//
//	git ls-files -z | go -C tools run ./module -path example.org/weir -from $PWD -to FOLDER
//	... -proxy FOLDER -version v0.1.0 -time 1764400000
//
// The files of standard input are copied. In those of Go each import of weir's is renamed.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	var c copier
	flag.StringVar(&c.path, "path", "", "the module's `path`, as example.org/weir")
	flag.StringVar(&c.from, "from", "..", "the `folder` of weir's tree")
	flag.StringVar(&c.to, "to", "", "the `folder` for the copy, which is made")
	proxy := flag.String("proxy", "", "the `folder` for a module proxy; none: none")
	version := flag.String("version", "", "with -proxy: `v0.1.0`")
	at := flag.Int64("time", 0, "with -proxy: when this version was made, in `seconds` since 1970")
	flag.Parse()
	err := c.copyAll(os.Stdin)
	if err == nil && *proxy != "" {
		err = writeProxy(*proxy, c.to, module.Version{Path: c.path, Version: *version}, time.Unix(*at, 0).UTC())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "module:", err)
		os.Exit(1)
	}
}

// copier copies a tree, under another path.
type copier struct {
	path, from, to string
	own            string // by which the tree calls itself
}

func (c copier) copyAll(names io.Reader) error {
	if err := module.CheckPath(c.path); err != nil {
		return fmt.Errorf("%w: a path begins with a domain, as example.org/weir", err)
	}
	if c.to == "" {
		return errors.New("where to? Name a folder with -to")
	}
	definition, err := os.ReadFile(filepath.Join(c.from, "go.mod"))
	if err != nil {
		return err
	}
	if c.own = modfile.ModulePath(definition); c.own == "" {
		return fmt.Errorf("%s/go.mod has no module", c.from)
	}
	list, err := io.ReadAll(names)
	if err != nil {
		return err
	}
	if err := os.Mkdir(c.to, 0o755); err != nil {
		return err
	}
	if err := c.copyEach(string(list)); err != nil {
		return errors.Join(err, os.RemoveAll(c.to))
	}
	return nil
}

func (c copier) copyEach(list string) error {
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		if err := c.copyFile(name); err != nil {
			return err
		}
	}
	return nil
}

func (c copier) copyFile(name string) error {
	from, to := filepath.Join(c.from, name), filepath.Join(c.to, name)
	is, err := os.Stat(from)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	switch {
	case path.Base(name) == "go.mod":
		text, err = c.renameModule(name, text)
	case strings.HasSuffix(name, ".go"):
		text, err = c.renameImports(name, text)
	case strings.HasSuffix(name, ".md"):
		text = bytes.ReplaceAll(text, []byte("`go doc "+c.own+"`"), []byte("`go doc "+c.path+"`"))
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, is.Mode().Perm())
}

// renamed is an import path under the new path; "": it is none of weir's.
func (c copier) renamed(imported string) string {
	if imported == c.own {
		return c.path
	}
	if rest, found := strings.CutPrefix(imported, c.own+"/"); found {
		return c.path + "/" + rest
	}
	return ""
}

// renameModule renames the module that a go.mod defines, and those of weir's that it requires and
// replaces.
func (c copier) renameModule(name string, text []byte) ([]byte, error) {
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	if c.renamed(file.Module.Mod.Path) == "" {
		return nil, fmt.Errorf("%s: the module %s is none of %s", name, file.Module.Mod.Path, c.own)
	}
	for _, statement := range file.Syntax.Stmt {
		switch s := statement.(type) {
		case *modfile.Line:
			c.renameTokens(s)
		case *modfile.LineBlock:
			for _, line := range s.Line {
				c.renameTokens(line)
			}
		}
	}
	file.SortBlocks()
	return file.Format()
}

func (c copier) renameTokens(line *modfile.Line) {
	for i, token := range line.Token {
		if to := c.renamed(token); to != "" {
			line.Token[i] = to
		}
	}
}

func (c copier) renameImports(name string, text []byte) ([]byte, error) {
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	done := 0
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if to := c.renamed(imported); to != "" {
			out.Write(text[done:positions.Position(spec.Path.Pos()).Offset])
			out.WriteString(strconv.Quote(to))
			done = positions.Position(spec.Path.End()).Offset
		}
	}
	if done == 0 {
		return text, nil
	}
	out.Write(text[done:])
	return format.Source(out.Bytes()) // imports are sorted by their paths
}

// writeProxy writes the files of a version as a module proxy has them (go.dev/ref/mod#goproxy-protocol).
func writeProxy(folder, tree string, m module.Version, at time.Time) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	folder = filepath.Join(folder, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{m.Version, at})
	if err != nil {
		return err
	}
	definition, err := os.ReadFile(filepath.Join(tree, "go.mod"))
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, m, tree); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list": []byte(m.Version + "\n"), m.Version + ".info": info, m.Version + ".mod": definition, m.Version + ".zip": archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
