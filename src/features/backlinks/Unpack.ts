import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { Unzip, UnzipInflate } from "fflate"
import * as Compressed from "../../foundation/text/Compressed.ts"

/** The file cannot be unpacked, or an archive has no table or several. */
export class NotUnpacked extends Data.TaggedError("NotUnpacked")<{ readonly reason: string }> {}

const damaged = new NotUnpacked({ reason: "the compressed file is damaged or incomplete. Download it again" })
const bomb = new NotUnpacked({ reason: "the file is far too large when uncompressed" })

/** Bytes to process before yielding: some milliseconds of work. */
const slice = 65_536

/** Large pieces in slices. */
const sliced = <E>(bytes: Stream.Stream<Uint8Array, E>) =>
  Stream.mapConcat(bytes, (piece) =>
    Array.from({ length: Math.ceil(piece.length / slice) }, (_, at) => piece.subarray(at * slice, (at + 1) * slice))
  )

/** Fails on an implausible compression ratio. */
const gauged = <E>(
  packed: Stream.Stream<Uint8Array, E>,
  unpack: (packed: Stream.Stream<Uint8Array, E>) => Stream.Stream<Uint8Array, E | NotUnpacked>
) =>
  Stream.suspend(() => {
    const gauge: Compressed.Gauge = { packed: 0, unpacked: 0 }
    const counted = Stream.tap(packed, ({ length }) =>
      Effect.sync(() => {
        gauge.packed += length
      })
    )
    return Stream.tap(unpack(counted), ({ length }) =>
      Effect.suspend(() => {
        gauge.unpacked += length
        return Compressed.isBomb(gauge) ? bomb : Effect.void
      })
    )
  })

const gunzip = <E>(packed: Stream.Stream<Uint8Array, E>) =>
  gauged(packed, (packed) =>
    packed.pipe(Compressed.gunzip<E | NotUnpacked>({ failed: () => damaged, pieceBytes: slice }))
  )

/** The single table of an archive. */
const unzip = <E>(packed: Stream.Stream<Uint8Array, E>) =>
  gauged(packed, (packed) =>
    Stream.suspend(() => {
      let found: string | undefined
      let failure: NotUnpacked | undefined
      const out: Array<Uint8Array> = []
      const archive = new Unzip((member) => {
        const isTable = /\.(?:csv|tsv|txt)$/i.test(member.name) && !member.name.startsWith("__MACOSX/")
        if (isTable && found !== undefined)
          failure ??= new NotUnpacked({ reason: "the archive has several tables. Import them one at a time" })
        if (isTable) found ??= member.name
        member.ondata = (error, bytes) => {
          if (error !== null) failure ??= damaged
          else if (isTable) out.push(bytes)
        }
        member.start()
      })
      archive.register(UnzipInflate)
      const push = (bytes: Uint8Array, last: boolean) =>
        Effect.suspend(() => {
          if (Either.isLeft(Either.try(() => archive.push(bytes, last)))) failure ??= damaged
          return failure ?? Effect.succeed(out.splice(0))
        })
      const end = Stream.suspend(() =>
        found === undefined
          ? Stream.fail(new NotUnpacked({ reason: "the archive contains no table (CSV)" }))
          : Stream.empty
      )
      return packed.pipe(
        Stream.mapConcat((piece) => Compressed.slices(piece)),
        Stream.mapEffect((piece) => push(piece, false)),
        Stream.concat(Stream.fromEffect(push(new Uint8Array(0), true))),
        Stream.mapConcat((pieces) => pieces),
        Stream.concat(end)
      )
    })
  )

/** A file as text bytes in slices, unpacked if its first piece is gzip or ZIP. */
export const unpacked = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E | NotUnpacked> =>
  sliced(
    Stream.unwrapScoped(
      Effect.map(Stream.peel(bytes, Sink.head<Uint8Array>()), ([first, rest]) => {
        if (Option.isNone(first)) return Stream.empty
        const whole = Stream.concat(Stream.make(first.value), rest)
        const [a, b, c] = first.value
        if (a === 0x1f && b === 0x8b) return gunzip(whole)
        return a === 0x50 && b === 0x4b && c === 0x03 ? unzip(whole) : whole
      })
    )
  )
