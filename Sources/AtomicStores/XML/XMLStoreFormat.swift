import Foundation

/// Core Data's XML store.
///
///     <?xml version="1.0" standalone="no"?>
///     <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
///
///     <database>
///         <databaseInfo>
///             <version>134481920</version>
///             <UUID>…</UUID>
///             <nextObjectID>104</nextObjectID>
///             <metadata>
///                 <plist version="1.0">
///                     <dict>…</dict>
///                 </plist>
///             </metadata>
///         </databaseInfo>
///         <object type="BOOK" id="z102">
///             <attribute name="title" type="string">Dune</attribute>
///             <relationship name="author" type="1/1" destination="AUTHOR" idrefs="z103"></relationship>
///         </object>
///     </database>
///
/// Entity names are in capitals, property names in small letters. Properties without a value are
/// omitted. The number in an id is the object's primary key; all objects of a store share one
/// sequence. `nextObjectID` is a free number; in Core Data's files it is the last assigned one,
/// which readers must take into account. Folio's extensions, which Core Data does not read, are:
/// - a leaf of a composite is an attribute with the name `composite.leaf`;
/// - text with characters that XML does not permit is base64, with `encoding="base64"`;
/// - a large value whose file was missing has `type="missing"` and the file's name;
/// - if objects of two hierarchies have the same primary key (they came from a store of another
///   type), ids are shifted by offsets that the metadata contain.
enum XMLStoreFormat {
    static let prolog = """
        <?xml version="1.0" standalone="no"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">


        """
    static let version = "134481920"
    /// The primary key of the first object of a new store.
    static let firstNumber: Int64 = 102

    enum ValueType {
        static let missing = "missing"
        static let encoding = "encoding"
        static let base64 = "base64"
    }

    static func begins(_ start: [UInt8]) -> Bool {
        // The text may end within a character.
        let text = String(decoding: start.prefix(4096), as: UTF8.self)
        let head = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard head.hasPrefix("<?xml") || head.hasPrefix("<!DOCTYPE database") || head.hasPrefix("<database") else {
            return false
        }
        return head.contains("<database") || head.contains("<!DOCTYPE database")
    }
}
