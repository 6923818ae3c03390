import Foundation

/// A progress line on the terminal with the remaining time. It is shown after the first second, and
/// only on a terminal.
final class Progress {
    private var total: Int
    private let unit: String
    private let console: Console
    private let start = DispatchTime.now().uptimeNanoseconds
    private var last: UInt64
    private var count = 0
    private var isShown = false
    private static let pause: UInt64 = 200_000_000

    init(total: Int, of unit: String, _ console: Console) {
        self.total = total
        self.unit = unit
        self.console = console
        last = start + 800_000_000
    }

    /// - Parameter fraction: The completed fraction of the work, if the total number is not known.
    func advance(_ number: Int = 1, fraction: Double? = nil) {
        count += number
        guard console.showsProgress else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        guard now > last + Self.pause else { return }
        last = now
        isShown = true
        var line = "\(count) \(unit)"
        if let fraction, fraction > 0 {
            let seconds = Double(now - start) / 1e9
            line +=
                ", \(min(100, Int(fraction * 100))) %, \(Int((seconds * max(0, 1 - fraction) / fraction).rounded(.up))) s left"
        }
        if total > 0 {
            let seconds = Double(now - start) / 1e9
            let rest = count > 0 ? Int((seconds * Double(max(0, total - count)) / Double(count)).rounded(.up)) : 0
            line = "\(count) of \(total) \(unit), \(min(100, count * 100 / total)) %, \(rest) s left"
        }
        console.showTransient(line)
    }

    /// Shows how far a transfer is.
    func show(_ progress: TransferProgress) {
        total = progress.total ?? 0
        advance(progress.objects - count, fraction: progress.total == nil ? progress.fraction : nil)
    }

    /// Removes the line.
    func finish() {
        if isShown { console.showTransient("") }
        isShown = false
    }
}
