/// User information between what callers use and what models keep.
enum UserInfo {
    static func texts(_ values: [AnyHashable: Any]?) -> [String: String] {
        var texts: [String: String] = [:]
        for (key, value) in values ?? [:] { texts["\(key)"] = "\(value)" }
        return texts
    }
}
