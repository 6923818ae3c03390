extension AttributeDescription {
    /// The key in ``userInfo`` that marks an attribute as full-text indexed; the value is `YES`.
    public static let fullTextUserInfoKey = "FolioFullText"

    /// Whether `SEARCH` finds the words of this attribute through a full-text index.
    ///
    /// Applies to strings that are not transient. It is not part of the version hash: an existing
    /// store gets the index when it is migrated, and until then `SEARCH` scans the texts. Stored in
    /// ``userInfo``, so it can also be set in Apple's model editor.
    public var isFullTextIndexed: Bool {
        get {
            type == .string && !isTransient
                && ["yes", "true", "1"].contains(userInfo[Self.fullTextUserInfoKey]?.lowercased())
        }
        set { userInfo[Self.fullTextUserInfoKey] = newValue ? "YES" : nil }
    }
}

extension EntityDescription {
    /// The attributes that `SEARCH` covers when its left side is an object, inherited ones first.
    public var fullTextAttributes: [AttributeDescription] { attributes.filter(\.isFullTextIndexed) }
}
