import Foundation
import Schema
import Synchronization

// Dates in time zones.
extension ScalarRules {
    private static let zones = Mutex<[String: TimeZone]>([:])
    /// The number of zones that are remembered. There are about 600 names.
    private static let zoneLimit = 1000

    /// The time zone of a name such as `Europe/Berlin`.
    /// - Throws: ``QueryError`` with code `type` that names the zone, if there is none.
    static func zone(named name: String) throws(QueryError) -> TimeZone {
        if let zone = zones.withLock({ $0[name] }) { return zone }
        // Foundation takes any number of hours after GMT.
        guard !name.isEmpty, let zone = TimeZone(identifier: name), zone.secondsFromGMT().magnitude <= 18 * 3600 else {
            let near = NearestNames.nearest(to: name, among: TimeZone.knownTimeZoneIdentifiers)
            var error = QueryError(.type, "There is no time zone \"\(name)\"" + NearestNames.question(near))
            error.suggestions = near
            throw error
        }
        zones.withLock { zones in
            if zones.count >= zoneLimit { zones.removeAll() }
            zones[name] = zone
        }
        return zone
    }

    /// The date whose parts in UTC are those of `argument` in a time zone; nil for values outside
    /// the calendar.
    static func local(_ argument: PropertyValue, in zone: TimeZone) throws(QueryError) -> PropertyValue {
        let seconds: Double
        if case .date(let date) = argument {
            seconds = date.timeIntervalSinceReferenceDate
        } else {
            guard let number = double(argument) else {
                throw QueryError(.type, "\(QueryFunction.local.rawValue) takes dates, not a \(kind(of: argument))")
            }
            seconds = number
        }
        guard seconds.magnitude < greatestSeconds else { return .null }
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: seconds))
        return .date(Date(timeIntervalSinceReferenceDate: seconds + Double(offset)))
    }
}
