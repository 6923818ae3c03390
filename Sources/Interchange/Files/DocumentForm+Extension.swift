package import Folio
import Foundation

extension DocumentForm {
    /// The form for the extension of a path; nil if there is none.
    package init?(extensionOf path: String) {
        switch URL(fileURLWithPath: path).pathExtension.lowercased() {
        case "folio": self = .package
        case "folioz": self = .archive
        case "sqlite", "storedata": self = .store
        case "xml": self = .xmlStore
        default: return nil
        }
    }
}
