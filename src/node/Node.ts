import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Accounts } from "../accounts/Accounts.ts"
import * as Database from "../database/Database.ts"
import * as Guarded from "../outbound/Guarded.ts"
import * as Server from "../server/Server.ts"
import { Role } from "./Role.ts"
import * as Welcome from "./Welcome.ts"
import * as Workers from "./Workers.ts"

const welcome = Layer.effectDiscard(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const accounts = yield* Accounts
    const base = address._tag === "TcpAddress" ? `http://${address.hostname}:${address.port}` : address.path
    yield* Welcome.print(base, Option.getOrUndefined(yield* accounts.firstKey)?.key)
  })
).pipe(Layer.provide(Accounts.Default))

const server = welcome.pipe(Layer.provide(Server.layer))

const worker = Layer.effectDiscard(Welcome.work).pipe(Layer.provideMerge(Workers.layer))

const roles = { all: Layer.merge(server, Workers.layer), api: server, worker }

/** A node of the installation: database, server and workers, as the configuration says. */
export const layer = Layer.unwrapEffect(Effect.map(Role, (role) => roles[role])).pipe(
  Layer.provide(Guarded.layer),
  Layer.provide(Database.layer)
)
