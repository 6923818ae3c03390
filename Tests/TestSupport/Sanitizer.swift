import Foundation

/// Whether the tests were built with a sanitizer (`swift test --sanitize=address`), whose shadow
/// memory takes terabytes of address space, so that a process limited in it cannot even start.
package let runsUnderSanitizer = ["__asan_init", "__tsan_init"].contains { (symbol: String) in dlsym(nil, symbol) != nil
}
