import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Refused } from "../schema/DomainError.ts"
import { plural } from "../text/Words.ts"
import * as Client from "./Client.ts"
import { LeaseMonitor } from "./LeaseMonitor.ts"
import * as Location from "./Location.ts"
import { examine, migrate } from "./Migrations.ts"
import { Outages } from "./Outages.ts"
import { DatabaseSchema } from "./Settings.ts"

const migrated = Effect.flatMap(migrate, (files) =>
  files.length === 0
    ? Effect.void
    : Effect.logInfo(`Applied ${plural(files.length, "migration")} up to ${files.at(-1)}`)
)

/** The database with the watch over its outages, after the preparation has ended. */
const after = <E, R>(preparation: Effect.Effect<void, E, R>) =>
  Layer.merge(Layer.effectDiscard(preparation), LeaseMonitor.Default).pipe(
    Layer.provideMerge(Outages.Default),
    Layer.provideMerge(Client.layerNoDeps)
  )

/** A migrated database at `Location`: the base of every layer that uses SQL. */
export const layerNoDeps = after(migrated)

/** A migrated database at the configured location. */
export const layer = layerNoDeps.pipe(Layer.provideMerge(Location.layer))

const installed = Effect.gen(function* () {
  if (yield* examine) return
  const schema = yield* DatabaseSchema
  const { description } = yield* Location.Location
  return yield* new Refused({
    message: `No Findable data in schema ${schema} of ${description}. Set FINDABLE_DATABASE_SCHEMA to the schema of your server, or start the server first.`
  })
})

/** A migrated database of an existing installation: a command creates no second one beside the server's. */
export const layerExisting = after(Effect.zipRight(installed, migrated)).pipe(
  Layer.provideMerge(Location.layerExisting)
)
