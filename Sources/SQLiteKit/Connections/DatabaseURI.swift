/// The `file:` URIs that SQLite reads, which select how it opens a file.
enum DatabaseURI {
    /// The URI of a path, with parameters such as `immutable=1`.
    static func text(of path: String, _ parameters: [String]) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        var text = path.hasPrefix("/") ? "file://" : "file:"
        for byte in path.utf8 {
            if plain.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text + "?" + parameters.joined(separator: "&")
    }
}
