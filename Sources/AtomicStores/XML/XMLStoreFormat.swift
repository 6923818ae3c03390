import Foundation

/// Core Data's XML store (CoreDataFiles, XML store).
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
/// Entities stand in capitals, properties in small letters, without a value not at all. The number
/// in an id is that of the object; all objects of a store count together. `nextObjectID` is a
/// number that is free; in Apple's files it is the last one given, which readers on both sides have
/// to mind. What the format has no word for is written in words of our own, which Apple's framework
/// does not read:
/// - a leaf of a composite as an attribute called `composite.leaf`;
/// - text with characters that XML can't hold as base64, with `encoding="base64"`;
/// - a large value whose file was missing as `type="missing"` with the file's name;
/// - where objects of two hierarchies share a number (they came from a store of another type), ids
///   are moved apart, and the metadata say by how much.
enum XMLStoreFormat {
    static let prolog = """
        <?xml version="1.0" standalone="no"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">


        """
    static let version = "134481920"
    /// The number of the first object of a new store.
    static let firstNumber: Int64 = 102

    enum ValueType {
        static let missing = "missing"
        static let encoding = "encoding"
        static let base64 = "base64"
    }

    static func begins(_ start: [UInt8]) -> Bool {
        // The piece may end within a character.
        let text = String(decoding: start.prefix(4096), as: UTF8.self)
        let head = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard head.hasPrefix("<?xml") || head.hasPrefix("<!DOCTYPE database") || head.hasPrefix("<database") else {
            return false
        }
        return head.contains("<database") || head.contains("<!DOCTYPE database")
    }
}
