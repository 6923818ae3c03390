import SwiftSyntax

/// Something that is left to people.
struct PortNote {
    let position: AbsolutePosition
    let message: String
}
