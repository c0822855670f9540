import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { failure } from "../../foundation/http/ApiError.ts"
import { about, described } from "../../foundation/http/Contract.ts"
import { Data } from "../../foundation/http/RequestSchemas.ts"
import { AnyKey } from "./Authorized.ts"
import { OwnKey } from "./Domain.ts"

/** What a key may do. */
export class KeyApi extends HttpApiGroup.make("key")
  .annotateContext(about("The key that the request is sent with."))
  .add(
    HttpApiEndpoint.get("get", "/key")
      .annotateContext(
        described(
          "Read the key in use",
          "The scopes of the key, the plan of its account and the limits that follow. 404 where a program that embeds this API identifies its callers by other means than keys."
        )
      )
      .addSuccess(Data(OwnKey))
      .addError(failure("not_found"))
      .middleware(AnyKey)
  )
  .prefix("/api/v1") {}
