import Coding
import Foundation
import Testing

struct DigestTests {
    private let long =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"

    @Test func sha256MatchesThePublishedVectors() {
        #expect(Hex.encode(SHA256.digest(Data())) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            Hex.encode(SHA256.digest(Data("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            Hex.encode(SHA256.digest(Data("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)))
                == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        #expect(
            Hex.encode(SHA256.digest(Data(repeating: 0x61, count: 1_000_000)))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func sha256IsTheSameWithTheProcessorsInstructionsAndWithout() {
        var generator = SystemRandomNumberGenerator()
        for size in Array(0...200) + [1000, 4096, 65_537] {
            let bytes = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(SHA256.digest(bytes) == SHA256.portableDigest(bytes))
        }
    }

    @Test func crc32IsTheSameHoweverManyBytesTheProcessorTakesAtOnce() {
        func bitByBit(_ bytes: some Sequence<UInt8>) -> UInt32 {
            var sum = UInt32.max
            for byte in bytes {
                sum ^= UInt32(byte)
                for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
            }
            return ~sum
        }
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<5000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926 && CRC32.checksum([UInt8]()) == 0)
        for size in Array(0...300) + [1000, 4095, 4096, 4097] {
            for start in [0, 1, 7, 16, 33] {
                let piece = bytes[start..<start + size]
                #expect(CRC32.checksum(Array(piece)) == bitByBit(piece))
            }
            var sum = CRC32()
            for piece in [bytes[..<(size / 3)], bytes[(size / 3)..<size], [], bytes[size...]] {
                sum.update(Array(piece))
            }
            #expect(sum.value == bitByBit(bytes))
        }
    }

    @Test func sha512MatchesThePublishedVectors() {
        #expect(
            Hex.encode(SHA512.digest(Data("abc".utf8)))
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        )
        #expect(
            Hex.encode(SHA512.digest(Data(long.utf8)))
                == "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        )
        #expect(
            Hex.encode(SHA512.digest(Data()))
                == "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        )
    }

    @Test func aDigestDoesNotDependOnHowTheBytesArePieced() {
        let bytes = (0..<700).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for size in [1, 3, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 400] {
            var short = SHA256(), wide = SHA512(), sum = CRC32()
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                short.update(piece)
                wide.update(piece)
                sum.update(piece)
            }
            #expect(short.digest() == SHA256.digest(bytes))
            #expect(wide.digest() == SHA512.digest(bytes))
            #expect(sum.value == CRC32.checksum(bytes))
        }
    }

    @Test func crc32MatchesThePublishedVector() {
        #expect(CRC32.checksum(Data("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum(Data()) == 0)
    }

    @Test func hexReadsBothCasesAndRefusesTheRest() {
        #expect(Hex.decode("00fFA5") == [0, 255, 0xA5])
        #expect(Hex.decode("0") == nil)
        #expect(Hex.decode("0g") == nil)
        #expect(Hex.encode([0, 255, 0xA5]) == "00ffa5")
    }
}
