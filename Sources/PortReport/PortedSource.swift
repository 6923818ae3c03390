/// What `folio-port` makes of a source file.
public struct PortedSource: Codable, Sendable, Equatable {
    /// A place in a text.
    public struct Place: Codable, Sendable, Equatable {
        /// From 1 on.
        public var line: Int
        /// From 1 on, in UTF-8 code units.
        public var column: Int

        /// Creates a place.
        public init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    /// Something that is left to people.
    public struct Note: Codable, Sendable, Equatable {
        /// Where it is in the file as it was.
        public var place: Place
        /// Where it is in the new texts.
        public var newPlace: Place
        /// The file that it is in afterwards: another where a member has moved.
        public var newPath: String
        /// What is to be done, for people.
        public var message: String

        /// Creates a note.
        public init(_ place: Place, newPlace: Place, in newPath: String, _ message: String) {
            self.place = place
            self.newPlace = newPlace
            self.newPath = newPath
            self.message = message
        }
    }

    /// The path of the file, as it was given.
    public var path: String
    /// The new text; nil for a file that stays as it is.
    public var text: String?
    /// The number of places that were changed.
    public var changeCount: Int
    /// The places that are left to people, in the order of the file.
    public var notes: [Note]

    /// Creates a description of a file.
    public init(path: String, text: String?, changeCount: Int, notes: [Note]) {
        self.path = path
        self.text = text
        self.changeCount = changeCount
        self.notes = notes
    }
}
