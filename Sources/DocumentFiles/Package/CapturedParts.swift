package import Storage

/// The values that a save captures besides the objects when it begins.
package struct CapturedParts: Sendable {
    package var extra: [ExtraFile] = []
    package var previews: [ExtraFile] = []
    /// Nil if the description is not saved.
    package var description: Description?
    /// For the metadata of the store, in the same commit.
    package var metadata: [String: MetadataValue?] = [:]

    package init(
        extra: [ExtraFile] = [], previews: [ExtraFile] = [], description: Description? = nil,
        metadata: [String: MetadataValue?] = [:]
    ) {
        self.metadata = metadata
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
