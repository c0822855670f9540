import * as BunContext from "@effect/platform-bun/BunContext"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Client from "../../../src/foundation/database/Client.ts"
import * as Place from "../../../src/foundation/database/EmbeddedFiles.ts"
import * as EmbeddedServer from "../../../src/foundation/database/EmbeddedServer.ts"
import * as Location from "../../../src/foundation/database/Location.ts"
import { Outages } from "../../../src/foundation/database/Outages.ts"
import { databaseFolder } from "../../folder.ts"

const settings = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" }

/** The cluster of these tests, which they stop. */
class Directory extends Context.Tag("test/Directory")<Directory, string>() {}

const directory = Layer.scoped(Directory, databaseFolder)

const located = Layer.unwrapEffect(
  Effect.map(Directory, (path) =>
    Location.layerEmbedded(settings).pipe(
      Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_DATA_DIR", path]]))))
    )
  )
)

/** An empty database that can be stopped. */
export const layer = Outages.Default.pipe(
  Layer.provideMerge(Client.layerNoDeps),
  Layer.provideMerge(located),
  Layer.provideMerge(directory),
  Layer.provideMerge(BunContext.layer)
)

/** Runs an effect during a database outage. */
export const whileAway = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const place = yield* Place.prepare(yield* Directory)
    return yield* Effect.acquireUseRelease(
      EmbeddedServer.stop(place),
      () => effect,
      () => Effect.orDie(EmbeddedServer.start(place, settings))
    )
  })

/** The log lines during an effect. */
export const logged = <A, E, R>(effect: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    lines.push(`${logLevel.label} ${Array.isArray(message) ? message[0] : message}`)
  })
  return effect(lines).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)), Effect.as(lines))
}
