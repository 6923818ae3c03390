#include "CSystem.h"

/* SHA-2 (FIPS 180-4): SHA-256, where there are such with the processor's own instructions, which are some six times as fast as arithmetic, and SHA-512. */

static const uint32_t constants256[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static const uint64_t constants512[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

/* The two differ in the size of a word, the number of rounds, the constants and how far words are turned and shifted. */
#define SHA2(NAME, WORD, ROUNDS, CONSTANTS, S0A, S0B, S0C, S1A, S1B, S1C, E0A, E0B, E0C, E1A, E1B, E1C) \
    void NAME(WORD state[8], const uint8_t *blocks, size_t count) { \
        for (; count > 0; count--, blocks += 16 * sizeof(WORD)) { \
            WORD w[ROUNDS], s[8]; \
            for (int i = 0; i < 16; i++) { \
                w[i] = 0; \
                for (size_t j = 0; j < sizeof(WORD); j++) w[i] = w[i] << 8 | blocks[sizeof(WORD) * i + j]; \
            } \
            for (int i = 16; i < ROUNDS; i++) \
                w[i] = w[i - 16] + (TURN(WORD, w[i - 15], S0A) ^ TURN(WORD, w[i - 15], S0B) ^ w[i - 15] >> S0C) + w[i - 7] \
                    + (TURN(WORD, w[i - 2], S1A) ^ TURN(WORD, w[i - 2], S1B) ^ w[i - 2] >> S1C); \
            for (int i = 0; i < 8; i++) s[i] = state[i]; \
            for (int i = 0; i < ROUNDS; i++) { \
                const WORD a = s[0], e = s[4]; \
                const WORD first = s[7] + (TURN(WORD, e, E1A) ^ TURN(WORD, e, E1B) ^ TURN(WORD, e, E1C)) \
                    + (s[6] ^ (e & (s[5] ^ s[6]))) + CONSTANTS[i] + w[i]; \
                const WORD second = (TURN(WORD, a, E0A) ^ TURN(WORD, a, E0B) ^ TURN(WORD, a, E0C)) + ((a & s[1]) | (s[2] & (a | s[1]))); \
                s[7] = s[6], s[6] = s[5], s[5] = e, s[4] = s[3] + first; \
                s[3] = s[2], s[2] = s[1], s[1] = a, s[0] = first + second; \
            } \
            for (int i = 0; i < 8; i++) state[i] += s[i]; \
        } \
    }
#define TURN(WORD, X, N) ((X) >> (N) | (X) << (8 * sizeof(WORD) - (N)))

SHA2(folio_sha256_portable, uint32_t, 64, constants256, 7, 18, 3, 17, 19, 10, 2, 13, 22, 6, 11, 25)
SHA2(folio_sha512, uint64_t, 80, constants512, 1, 8, 7, 19, 61, 6, 28, 34, 39, 14, 18, 41)

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

static int is_accelerated(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & (1u << 29))) return 0; /* SHA */
    return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 9)) && (c & (1u << 19)); /* SSSE3, SSE4.1 */
}

__attribute__((target("sha,ssse3,sse4.1")))
static void sha256_accelerated(uint32_t state[8], const uint8_t *blocks, size_t count) {
    /* The instructions want the words as a b e f and c d g h, the first in the highest lane. */
    __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
    const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    for (; count > 0; count--, blocks += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        /* The last sixteen words of the schedule, four to a vector; four rounds use one vector. */
        __m128i words[4];
        for (int group = 0; group < 16; group++) {
            __m128i next;
            if (group < 4) {
                next = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(blocks + 16 * group)), swap);
            } else {
                const __m128i w16 = words[group & 3], w12 = words[(group + 1) & 3], w8 = words[(group + 2) & 3], w4 = words[(group + 3) & 3];
                next = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w16, w12), _mm_alignr_epi8(w4, w8, 4)), w4);
            }
            words[group & 3] = next;
            const __m128i sum = _mm_add_epi32(next, _mm_load_si128((const __m128i *)(constants256 + 4 * group)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    state[0] = (uint32_t)_mm_extract_epi32(abef, 3);
    state[1] = (uint32_t)_mm_extract_epi32(abef, 2);
    state[4] = (uint32_t)_mm_extract_epi32(abef, 1);
    state[5] = (uint32_t)_mm_extract_epi32(abef, 0);
    state[2] = (uint32_t)_mm_extract_epi32(cdgh, 3);
    state[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
    state[6] = (uint32_t)_mm_extract_epi32(cdgh, 1);
    state[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}

void folio_sha256(uint32_t state[8], const uint8_t *blocks, size_t count) {
    /* Writing the same answer twice does no harm. */
    static _Atomic int known = -1;
    int is = known;
    if (is < 0) known = is = is_accelerated();
    (is ? sha256_accelerated : folio_sha256_portable)(state, blocks, count);
}

#else

void folio_sha256(uint32_t state[8], const uint8_t *blocks, size_t count) { folio_sha256_portable(state, blocks, count); }

#endif
