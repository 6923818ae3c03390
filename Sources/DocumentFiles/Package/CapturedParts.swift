/// What a save takes from the document beside its objects, when it begins.
package struct CapturedParts: Sendable {
    package var extra: [ExtraFile] = []
    package var previews: [ExtraFile] = []
    /// Nil where nothing was asked.
    package var description: Description?

    package init(extra: [ExtraFile] = [], previews: [ExtraFile] = [], description: Description? = nil) {
        self.extra = extra
        self.previews = previews
        self.description = description
    }

    package struct Description: Sendable, Hashable {
        package var title: String?
        package var keywords: [String]?

        package init(title: String?, keywords: [String]?) {
            self.title = title
            self.keywords = keywords
        }
    }
}
