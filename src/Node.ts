import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Accounts } from "./accounts/Accounts.ts"
import * as Database from "./database/Database.ts"
import * as Server from "./http/Server.ts"
import * as Welcome from "./Welcome.ts"

const welcome = Layer.effectDiscard(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const accounts = yield* Accounts
    const base = address._tag === "TcpAddress" ? `http://${address.hostname}:${address.port}` : address.path
    yield* Welcome.print(base, Option.getOrUndefined(yield* accounts.firstKey)?.key)
  })
).pipe(Layer.provide(Accounts.Default))

/** A node of the installation: database, server and workers, as the configuration says. */
export const layer = welcome.pipe(Layer.provide(Server.layer), Layer.provide(Database.layer))

/** A process that cannot start says why in one sentence, not in a stack trace. */
export const reported = Effect.tapErrorCause(() => Effect.void)
