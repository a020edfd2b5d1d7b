package serve

import (
	"fmt"
	"hash/crc32"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// addresses says where the pages of the site lie, for links from the first page on. An export has a
// file for each; else they are the paths of the server's routes.
type addresses struct{ export *export }

// of returns the address of what the server has at a path, which an export has in a file.
func (a addresses) of(path, file string) string {
	if a.export == nil {
		return path
	}
	return a.export.file(path, file)
}

func (a addresses) campaign(id string) string {
	return a.of("c/"+url.PathEscape(id), "c/"+pageFile(id)+".html")
}

// idForm is what an id looks like that weir gives.
var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// pageFile is the id of a campaign as the name of a file. A store of others may have ids that lead out
// of a folder.
func pageFile(id string) string {
	if idForm.MatchString(id) {
		return id
	}
	return fmt.Sprintf("campaign-%08x", crc32.ChecksumIEEE([]byte(id)))
}

// compared is the comparison of two campaigns, the newer one first.
func (a addresses) compared(newer, older string) string {
	return a.of("compare?"+url.Values{"c": {newer, older}}.Encode(), "compare-"+pageFile(newer)+"-"+pageFile(older)+".html")
}

func (a addresses) history(t topic) string {
	path := t.path()
	return a.of(path, fmt.Sprintf("history-%s-%08x.html", slug(t.Name+" "+t.Method+" "+t.Size), crc32.ChecksumIEEE([]byte(path))))
}

// list is a page of the list, from 1 on.
func (a addresses) list(f filter, page int) string {
	if a.export != nil && page == 1 {
		return indexFile
	}
	return a.of(f.address(page), fmt.Sprintf("page-%d.html", page))
}

// first is the address of the list from a page that is so far from it.
func (a addresses) first(root string) string {
	switch {
	case a.export != nil:
		return root + indexFile
	case root == "":
		return "./"
	}
	return root
}

// root is the way from a page to the first one, so that the site may lie below another's path, or
// in plain files.
func root(req *http.Request) string {
	return strings.Repeat("../", max(strings.Count(req.URL.Path, "/")-1, 0))
}

// slug writes a title as a part of an address.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return "chart"
	}
	return strings.Join(words, "-")
}
