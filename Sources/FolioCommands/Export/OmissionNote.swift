import Folio

/// Says what a copy or an export of a store that other programs wrote does not have.
enum OmissionNote {
    static func say(cells: Int, links: Int, _ console: Console) {
        if cells > 0 {
            console.say(
                "note: \(cells == 1 ? "one cell is" : "\(cells) cells are") not of the attribute's type and \(cells == 1 ? "counts" : "count") as nil; folio verify --deep names \(cells == 1 ? "it" : "them")"
            )
        }
        if links > 0 {
            console.say(
                "note: \(links == 1 ? "one link leads" : "\(links) links lead") to objects that are not there and \(links == 1 ? "is" : "are") left out; folio verify names \(links == 1 ? "it" : "them")"
            )
        }
    }
}
