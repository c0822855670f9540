import { newDecoder } from "./Labels.ts"

/** The bytes of a code point in a legacy encoding. */
type Table = ReadonlyMap<string, ReadonlyArray<number>>

/** Adds what byte sequences mean, as the decoder reads them; the first sequence of a character is the one to write. */
const learn = (
  table: Map<string, ReadonlyArray<number>>,
  decoder: TextDecoder,
  sequences: Iterable<ReadonlyArray<number>>,
  isOverwriting: (character: string) => boolean = () => false
): void => {
  for (const bytes of sequences) {
    const text = decoder.decode(Uint8Array.from(bytes))
    const [first = ""] = text
    const isOne = first.length === text.length && first !== "\uFFFD" && first.charCodeAt(0) > 0x7f
    if (isOne && (!table.has(first) || isOverwriting(first))) table.set(first, bytes)
  }
}

function* pairs(leads: readonly [number, number], trails: readonly [number, number]): Iterable<ReadonlyArray<number>> {
  for (let lead = leads[0]; lead <= leads[1]; lead++)
    for (let trail = trails[0]; trail <= trails[1]; trail++) if (trail !== 0x7f) yield [lead, trail]
}

function* singles(): Iterable<ReadonlyArray<number>> {
  for (let byte = 0x80; byte <= 0xff; byte++) yield [byte]
}

/** The four-byte sequences of GB 18030 that stand for characters of the basic plane; above it they are computed. */
function* quads(): Iterable<ReadonlyArray<number>> {
  for (let pointer = 0; pointer < 39_420; pointer++)
    yield [
      0x81 + Math.floor(pointer / 12_600),
      0x30 + (Math.floor(pointer / 1260) % 10),
      0x81 + (Math.floor(pointer / 10) % 126),
      0x30 + (pointer % 10)
    ]
}

/** Characters that Big5 has twice and writes with the later sequence (Encoding standard, index Big5 pointer). */
const lastOfBig5 = new Set("\u2550\u255E\u2561\u256A\u5341\u5345")

/** How each multi-byte encoding is filled; sequences that the standard never writes are left out. */
const multibyte: Readonly<Record<string, (table: Map<string, ReadonlyArray<number>>) => void>> = {
  big5: (table) =>
    learn(table, newDecoder("big5"), pairs([0xa1, 0xfe], [0x40, 0xfe]), (character) => lastOfBig5.has(character)),
  "euc-jp": (table) => {
    learn(table, newDecoder("euc-jp"), pairs([0x8e, 0x8e], [0xa1, 0xdf]))
    learn(table, newDecoder("euc-jp"), pairs([0xa1, 0xfe], [0xa1, 0xfe]))
    for (const [character, byte] of [
      ["\u00A5", 0x5c],
      ["\u203E", 0x7e]
    ] as const)
      table.set(character, [byte])
    table.set("\u2212", table.get("\uFF0D") ?? [])
  },
  "euc-kr": (table) => learn(table, newDecoder("euc-kr"), pairs([0x81, 0xfe], [0x41, 0xfe])),
  gbk: (table) => {
    learn(table, newDecoder("gbk"), pairs([0x81, 0xfe], [0x40, 0xfe]))
    table.set("\u20AC", [0x80])
  },
  gb18030: (table) => {
    learn(table, newDecoder("gb18030"), pairs([0x81, 0xfe], [0x40, 0xfe]))
    learn(table, newDecoder("gb18030"), quads())
  },
  shift_jis: (table) => {
    const decoder = newDecoder("shift_jis")
    learn(table, decoder, singles())
    // NEC's selection of IBM extensions is read but never written (Encoding standard, index Shift_JIS pointer).
    const isExcluded = (lead = 0, trail = 0) => lead === 0xed || (lead === 0xee && trail <= 0xfc)
    const all = [...pairs([0x81, 0x9f], [0x40, 0xfc]), ...pairs([0xe0, 0xfc], [0x40, 0xfc])]
    learn(
      table,
      decoder,
      all.filter(([lead, trail]) => !isExcluded(lead, trail))
    )
    for (const [character, byte] of [
      ["\u00A5", 0x5c],
      ["\u203E", 0x7e]
    ] as const)
      table.set(character, [byte])
    table.set("\u2212", table.get("\uFF0D") ?? [])
  }
}

const tables = new Map<string, Table>()

/** The table of an encoding, made when it is first wanted. */
export const tableOf = (encoding: string): Table => {
  const known = tables.get(encoding)
  if (known !== undefined) return known
  const table = new Map<string, ReadonlyArray<number>>()
  const fill = multibyte[encoding]
  if (fill === undefined) learn(table, newDecoder(encoding), singles())
  else fill(table)
  tables.set(encoding, table)
  return table
}
