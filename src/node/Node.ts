import * as HttpServer from "@effect/platform/HttpServer"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Accounts } from "../accounts/Accounts.ts"
import * as Database from "../database/Database.ts"
import * as Guarded from "../outbound/Guarded.ts"
import * as Server from "../server/Server.ts"
import { FirstKeyFile, handOver } from "./FirstKey.ts"
import * as RequestSpans from "./RequestSpans.ts"
import { Role } from "./Role.ts"
import * as Welcome from "./Welcome.ts"
import * as Workers from "./Workers.ts"

const welcome = Layer.effectDiscard(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const accounts = yield* Accounts
    const base = address._tag === "TcpAddress" ? `http://${address.hostname}:${address.port}` : address.path
    const file = yield* FirstKeyFile
    yield* Welcome.print(base, yield* accounts.firstKey(handOver(file)), file)
  })
).pipe(Layer.provide([Accounts.Default, BunContext.layer]))

const server = welcome.pipe(Layer.provide(Server.layer), Layer.provide(RequestSpans.layer))

const worker = Layer.effectDiscard(Welcome.work).pipe(Layer.provideMerge(Workers.layer))

const roles = { all: Layer.merge(server, Workers.layer), api: server, worker }

/** A node of the installation: database, server and workers, as the configuration says. */
export const layer = Layer.unwrapEffect(Effect.map(Role, (role) => roles[role])).pipe(
  Layer.provide(Guarded.layer),
  Layer.provide(Database.layer)
)
