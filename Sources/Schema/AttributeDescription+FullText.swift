extension AttributeDescription {
    /// The key of `userInfo` by which a model chooses an attribute for full text; its value is
    /// `YES`.
    public static let fullTextUserInfoKey = "FolioFullText"

    /// Whether SEARCH finds the attribute's words by an index. For strings; it does not enter the
    /// version hash, so a store that exists already gets the index when it is migrated, and until
    /// then searches read the texts through.
    ///
    /// Kept in ``userInfo``, so that it can be chosen in Apple's model editor too.
    public var isFullTextIndexed: Bool {
        get {
            type == .string && !isTransient
                && ["yes", "true", "1"].contains(userInfo[Self.fullTextUserInfoKey]?.lowercased())
        }
        set { userInfo[Self.fullTextUserInfoKey] = newValue ? "YES" : nil }
    }
}

extension Entity {
    /// The attributes that SEARCH of an object looks through, inherited ones first.
    public var fullTextAttributes: [AttributeDescription] { attributes.filter(\.isFullTextIndexed) }
}
