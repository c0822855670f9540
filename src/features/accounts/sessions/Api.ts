import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, described } from "../../../foundation/http/Contract.ts"
import { body, Data } from "../../../foundation/http/RequestSchemas.ts"
import { Keyless } from "../Authorized.ts"
import { ConsoleSession, EnterConsole } from "./Domain.ts"

/** How the console gets its key. */
export class ConsoleSessionsApi extends HttpApiGroup.make("console-sessions")
  .annotateContext(about("How the console gets a key: by the code of a sign-in link."))
  .add(
    HttpApiEndpoint.post("enter", "/console-sessions")
      .annotateContext(
        described(
          "Exchange a code for a key",
          "Exchanges the code of a sign-in link, which the operator makes on the server, for a key that ends by itself. A code serves once: of several requests one gets the key, and the others 404, as for a code that is unknown or older than five minutes. Requests are counted by their address."
        )
      )
      .setPayload(body(EnterConsole))
      .addSuccess(Data(ConsoleSession), { status: 201 })
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(Keyless)
  )
  .prefix("/api/v1") {}
