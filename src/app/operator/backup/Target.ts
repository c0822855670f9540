import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Migrations from "../../../foundation/database/Migrations.ts"
import { sqlDetail, sqlState } from "../../../foundation/database/SqlState.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import type { CatalogRepo } from "./CatalogRepo.ts"

// The schema that a restore fills.

type Repo = typeof CatalogRepo.Service
type Things = Effect.Effect.Success<ReturnType<Repo["things"]>>

/** What the schema holds. No node may use it during a restore, and existing data is not removed by accident. */
export const check = (repo: Repo, replace: boolean) =>
  Effect.gen(function* () {
    const others = yield* repo.others()
    if (others.length > 0) {
      const names = others.map(({ name }) => name).join(", ")
      return yield* new Refused({ message: `Stop the nodes of this database first: ${names}` })
    }
    const things = yield* repo.things()
    const used = things.some(({ name }) => name === "accounts") && (yield* repo.accounts()).length > 0
    if (used && !replace) {
      return yield* new Refused({ message: "The database is not empty; --replace removes its contents" })
    }
    if (things.length > 0) yield* Migrations.migrate
    return yield* repo.things()
  })

/** Before a thing goes those that depend on it. */
const order = ["VIEW", "MATERIALIZED VIEW", "TABLE", "ROUTINE"]

const inUse = (error: SqlError) =>
  new Refused({ message: `Another schema has what depends on this one, remove that first: ${sqlDetail(error)}` })

/** Removes everything that the schema holds. Nothing of other schemas goes with it: where a view or a reference there depends on it, the restore is refused. */
export const clear = (repo: Repo, things: Things) =>
  Effect.catchIf(
    repo.run(
      ...order.flatMap((kind) => {
        const names = things.flatMap((thing) => (thing.kind === kind ? [thing.name] : []))
        return names.length === 0 ? [] : [`DROP ${kind} ${names.join(", ")}`]
      })
    ),
    (error) => sqlState(error) === "2BP01",
    inUse
  )
