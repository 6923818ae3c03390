/// What the benchmark's command line asks for.
struct BenchmarkOptions {
    var workloads: [Workload] = Workload.allCases
    var sizes: [Int] = []
    var rounds = 3
    var json = false
    var comparison: String?
    var showsGrowth = false

    static let usage = """
        usage: FolioBenchmarks [W1 W2 …] [--size N[,N…]] [--rounds N] [--growth] [--json] [--compare FILE]

        Runs each workload and its hand-written counterpart over SQLite's C interface in turn, every round of both in a process and on a file of its
        own, and prints median, minimum, ratio (Folio's median by the hand-written loop's) and peak memory. --list says what each workload is.

        --size N[,N…]   objects in the document (each workload has a size of its own without this)
        --rounds N      rounds of both (3)
        --growth        W1, W2, W4 and W7 at 10^4, 10^5 and 10^6 objects unless others are asked for, and how time and memory grow
        --json          results as JSON on standard output
        --compare FILE  the change against results that --json wrote earlier
        """

    init(_ arguments: [String]) throws(BenchmarkError) {
        var names: [Workload] = []
        var rest = arguments[...]
        func value(_ option: String) throws(BenchmarkError) -> String {
            guard let value = rest.popFirst() else { throw BenchmarkError("\(option) needs a value") }
            return value
        }
        func number(_ text: some StringProtocol, _ option: String) throws(BenchmarkError) -> Int {
            guard let number = Int(text), number > 0 else {
                throw BenchmarkError("\(option): not a positive number: \(text)")
            }
            return number
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--size":
                for part in try value(argument).split(separator: ",") { sizes.append(try number(part, argument)) }
            case "--rounds": rounds = try number(try value(argument), argument)
            case "--growth": showsGrowth = true
            case "--json": json = true
            case "--compare": comparison = try value(argument)
            default:
                let found = Workload.named(argument)
                guard !found.isEmpty else { throw BenchmarkError("no such workload or option: \(argument)") }
                names += found
            }
        }
        if !names.isEmpty { workloads = names } else if showsGrowth { workloads = [.w1, .w2, .w4, .w7a, .w7b] }
        if showsGrowth, sizes.isEmpty { sizes = [10_000, 100_000, 1_000_000] }
    }
}

/// What stopped a benchmark, in words.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
