package import Coding

extension MetadataValue {
    package init(_ value: PropertyListValue) {
        self =
            switch value {
            case .string(let text): .string(text)
            case .integer(let number): .integer(number)
            case .unsigned(let number), .uid(let number): .integer(Int64(clamping: number))
            case .real(let number): .real(number)
            case .boolean(let flag): .boolean(flag)
            case .date(let date): .date(date)
            case .data(let data): .data(data)
            case .array(let elements): .array(elements.map { MetadataValue($0) })
            case .dictionary(let pairs): .dictionary(pairs.mapValues { MetadataValue($0) })
            }
    }
}

extension PropertyListValue {
    package init(_ value: MetadataValue) {
        self =
            switch value {
            case .string(let text): .string(text)
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .boolean(let flag): .boolean(flag)
            case .date(let date): .date(date)
            case .data(let data): .data(data)
            case .array(let elements): .array(elements.map { PropertyListValue($0) })
            case .dictionary(let pairs): .dictionary(pairs.mapValues { PropertyListValue($0) })
            }
    }
}
