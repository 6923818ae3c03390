package import DocumentFiles
package import Foundation

/// A document on the disk, or one of its states.
package struct MergePlace: Sendable {
    package let path: String
    package var state = DocumentState.newest

    package init(_ path: String, _ state: DocumentState) {
        self.path = path
        self.state = state
    }

    /// A path that does not exist and ends in `@n`, `@saved` or `@autosaved` means that state.
    package init(_ url: URL) {
        let text = url.path
        guard !FileManager.default.fileExists(atPath: text),
            let match = text.firstMatch(of: /(?s)^(.+)@(\d{1,18}|saved|autosaved)$/)
        else {
            path = LinkResolution.resolve(text)
            return
        }
        path = LinkResolution.resolve(String(match.1))
        state = match.2 == "saved" ? .saved : match.2 == "autosaved" ? .autosaved : .base(Int(match.2) ?? 0)
    }

    package var text: String {
        switch state {
        case .newest: path
        case .saved: path + "@saved"
        case .autosaved: path + "@autosaved"
        case .version(let generation), .base(let generation): "\(path)@\(generation)"
        }
    }
}
