import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkEquipment } from "../audits/run/Equipment.ts"
import * as Client from "../database/Client.ts"
import * as Location from "../database/Location.ts"
import { isCurrent } from "../database/Migrations.ts"
import { selfTest } from "../outbound/SelfTest.ts"
import { json, print } from "../terminal/Output.ts"
import { databaseReport } from "./Migrate.ts"

const said = <A, E extends { readonly message: string }, R>(check: Effect.Effect<A, E, R>, fine: string) =>
  Effect.match(check, { onFailure: ({ message }) => message, onSuccess: () => fine })

/** `doctor`: checks what a node needs, and says what is wrong in words. */
export const doctor = Command.make("doctor", { json }, ({ json }) =>
  Effect.gen(function* () {
    const database = yield* databaseReport
    const schema = yield* Effect.match(isCurrent, {
      onFailure: ({ message }) => message,
      onSuccess: (current) => (current ? "up to date" : "migrations are pending: start a node, or run migrate")
    })
    const outbound = yield* said(selfTest, "the guard holds")
    const audits = yield* said(checkEquipment, "Lighthouse and Chromium are here")
    yield* print({ ...database, schema, outbound, audits }, json)
  })
).pipe(
  Command.withDescription("check database, schema, the guard of outbound requests and what audits need"),
  Command.provide(Client.layerNoDeps.pipe(Layer.provideMerge(Location.layer)))
)
