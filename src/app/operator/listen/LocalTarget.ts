import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { EventId } from "../../../features/events/EventId.ts"
import { generate, Secret } from "../../../features/webhooks/signature/Secret.ts"
import { DataDirectory } from "../../../foundation/database/Settings.ts"
import { sha256 } from "../../../foundation/http/Digest.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { Entropy } from "../../../foundation/secrets/Entropy.ts"

/** An address on this machine that gets the events of an account of a node. */
const Address = Schema.Struct({ account: Schema.String, node: Schema.String, target: Schema.String })
export type Address = typeof Address.Type

const Known = Schema.Struct({ ...Address.fields, secret: Secret })

/** Where reading goes on: after an event, else with those since a time, else with the oldest. `listened` is in milliseconds. */
const Position = Schema.Struct({
  after: Schema.NullOr(EventId),
  since: Schema.NullOr(Schema.String),
  listened: Schema.Number
})
export type Position = typeof Position.Type

const ownerOnly = 0o600
const utf8 = new TextEncoder()

const files = { known: "target.json", position: "position.json" } as const

const folders = Effect.gen(function* () {
  const path = yield* Path.Path
  return path.join(yield* DataDirectory, "listen")
})

const unusable = (file: string) => () =>
  new Refused({ message: `${file} cannot be read or written, or is not what this command wrote: repair or remove it` })

const read = <A, I>(schema: Schema.Schema<A, I>, file: string) => {
  const decode = Schema.decode(Schema.parseJson(schema))
  return Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    if (!(yield* fs.exists(file))) return Option.none<A>()
    return Option.some(yield* Effect.flatMap(fs.readFileString(file), (text) => decode(text)))
  }).pipe(Effect.mapError(unusable(file)))
}

/** A whole file, readable by its owner alone, under a name of its own, which `place` then gives its final one. */
const draft = Effect.fnUntraced(function* (
  file: string,
  content: unknown,
  place: (draft: string) => Effect.Effect<void, unknown>
) {
  const fs = yield* FileSystem.FileSystem
  const { bytes } = yield* Entropy
  const name = `${file}.${Encoding.encodeHex(yield* bytes(8))}`
  yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(name)))
  const handle = yield* fs.open(name, { flag: "wx", mode: ownerOnly })
  yield* handle.writeAll(utf8.encode(JSON.stringify(content)))
  yield* handle.sync
  yield* place(name)
}, Effect.scoped)

/** The secret that signs for an address, made at the first use and the same ever after, and the position in its events. */
export const open = Effect.fnUntraced(function* (address: Address) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const services = yield* Effect.context<Entropy | FileSystem.FileSystem>()
  const { account, node, target } = address
  const name = sha256(JSON.stringify([node, account, target]))
    .toString("hex")
    .slice(0, 32)
  const folder = path.join(yield* folders, name)
  const [known, position] = [path.join(folder, files.known), path.join(folder, files.position)]
  yield* fs.makeDirectory(folder, { mode: 0o700, recursive: true }).pipe(Effect.mapError(unusable(folder)))
  const before = yield* read(Known, known)
  if (Option.isNone(before)) {
    const secret = Redacted.value(yield* generate)
    // A link never replaces a file: of two commands that begin at once both sign with the same secret.
    yield* draft(known, { ...address, secret }, (name) => Effect.ignore(fs.link(name, known))).pipe(
      Effect.mapError(unusable(known))
    )
  }
  const { secret } = yield* Effect.flatMap(read(Known, known), Effect.mapError(unusable(known)))
  /** Writes the position whole or not at all. */
  const save = Effect.fnUntraced(
    function* (at: Pick<Position, "after" | "since">) {
      const listened = yield* Clock.currentTimeMillis
      yield* draft(position, { ...at, listened }, (name) => fs.rename(name, position))
    },
    Effect.mapError(unusable(position)),
    Effect.provide(services)
  )
  return { position: yield* read(Position, position), save, secret: Redacted.make(secret) }
})

/** The address that events of the account were posted to last. */
export const last = Effect.fnUntraced(function* ({ account, node }: Omit<Address, "target">) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* folders
  const names = yield* fs.readDirectory(folder).pipe(Effect.orElseSucceed((): Array<string> => []))
  const found = yield* Effect.forEach(names, (name) =>
    Effect.map(
      Effect.all([
        read(Known, path.join(folder, name, files.known)),
        read(Position, path.join(folder, name, files.position))
      ]),
      ([known, position]) =>
        Option.toArray(
          Option.filter(
            Option.all({ known, position }),
            ({ known }) => known.account === account && known.node === node
          )
        )
    )
  )
  const [newest] = found.flat().sort((a, b) => b.position.listened - a.position.listened)
  return Option.fromNullable(newest?.known.target)
})
