import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { plural } from "../text/Words.ts"
import * as Client from "./Client.ts"
import { LeaseMonitor } from "./LeaseMonitor.ts"
import * as Location from "./Location.ts"
import { migrate } from "./Migrations.ts"
import { Outages } from "./Outages.ts"

const migrated = Layer.effectDiscard(
  Effect.flatMap(migrate, (files) =>
    files.length === 0
      ? Effect.void
      : Effect.logInfo(`Applied ${plural(files.length, "migration")}, the last is ${files.at(-1)}`)
  )
)

/** A migrated database at `Location` with the watch over its outages: the base of every layer that uses SQL. */
export const layerNoDeps = Layer.merge(migrated, LeaseMonitor.Default).pipe(
  Layer.provideMerge(Outages.Default),
  Layer.provideMerge(Client.layerNoDeps)
)

/** The same at the configured place. */
export const layer = layerNoDeps.pipe(Layer.provideMerge(Location.layer))
