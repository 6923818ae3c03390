extension QueryError {
    /// The query text and, on a second line, a caret under the position of the error; nil if the
    /// error has no position.
    ///
    /// ```
    /// name == == "x"
    ///         ^
    /// ```
    /// A long text is shortened around the position.
    public var markedText: String? {
        guard let text, let offset else { return nil }
        let width = 100
        // Line breaks and tabs become spaces, so that every character takes one column and the
        // caret is at the right position.
        let characters = text.map { $0.isNewline || $0 == "\t" ? " " : $0 }
        let place = min(offset, characters.count)
        let start = max(0, min(place - width / 2, characters.count - width))
        let end = min(characters.count, start + width)
        let before = start > 0 ? "…" : ""
        let line = before + String(characters[start..<end]) + (end < characters.count ? "…" : "")
        return line + "\n" + String(repeating: " ", count: place - start + before.count) + "^"
    }
}
