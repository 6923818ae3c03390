/// The release that this code is of.
package enum Release {
    package static let version = "0.3.0"
}
