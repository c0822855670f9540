import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  body,
  Created,
  change,
  create,
  Data,
  described,
  IdempotencyHeaders,
  inPath,
  list,
  read,
  remove
} from "../../foundation/http/Contract.ts"
import { AnyKey, KeysManage } from "./Authorized.ts"
import { KeyId, KeyPatch, ManagedKey, NewKey, NewManagedKey, OwnKey, RotateKey } from "./Domain.ts"

/** The rights of a key. */
export class KeyApi extends HttpApiGroup.make("key")
  .annotateContext(about("The API key of the request."))
  .add(
    HttpApiEndpoint.get("get", "/key")
      .annotateContext(
        described(
          "Get the current API key",
          "Returns scopes, account, plan, limits and their use of the API key in use. Returns 404 in programs that embed this API without API keys."
        )
      )
      .addSuccess(Data(OwnKey))
      .addError(failure("not_found"))
      .middleware(AnyKey)
  )
  .add(
    HttpApiEndpoint.del("remove", "/key")
      .annotateContext(
        described(
          "Revoke the current API key",
          "Revokes the API key in use immediately. Any key can do this. Returns 404 in programs that embed this API without API keys."
        )
      )
      .addError(failure("not_found"))
      .middleware(AnyKey)
  )
  .prefix("/api/v1") {}

const one = "/keys/:id"
const ids = Schema.Struct({ id: inPath(KeyId) })

/** The keys of the caller's account. */
export class KeysApi extends HttpApiGroup.make("keys")
  .annotateContext(
    about(
      "API keys of your account. A key can only manage keys with no more scopes than its own, and cannot give more scopes or a later expiry: otherwise 403 `insufficient_scope`."
    )
  )
  .add(
    list("list", "/keys", {
      summary: "List API keys",
      description: "API keys of your account that are not revoked, oldest first (`created_at`, then `id`).",
      of: ManagedKey,
      scope: KeysManage
    })
  )
  .add(
    create("create", "/keys", {
      summary: "Create an API key",
      description:
        "Creates an API key. Only this response has the key itself, in `key`. Returns 403 `insufficient_scope` for scopes that your key lacks or an expiry later than its own, 422 `validation_error` at the key limit of the plan, and 429 `rate_limit_exceeded` after ten new keys in a minute.",
      of: NewManagedKey,
      payload: NewKey,
      scope: KeysManage
    })
  )
  .add(
    read("get", one, {
      summary: "Get an API key",
      description: "Returns one API key, without the key itself.",
      ids,
      of: ManagedKey,
      scope: KeysManage
    })
  )
  .add(
    change("patch", one, {
      summary: "Update an API key",
      description:
        "Changes name, scopes or expiry. Fields that you leave out do not change. You cannot add scopes that your key lacks, or change a key to expire later than yours. Keys of console sessions cannot change scopes or expiry (409).",
      ids,
      of: ManagedKey,
      payload: KeyPatch,
      scope: KeysManage
    }).addError(failure("conflict"))
  )
  .add(
    remove("remove", one, {
      summary: "Revoke an API key",
      description: "Revokes an API key immediately.",
      ids,
      scope: KeysManage
    })
  )
  .add(
    HttpApiEndpoint.post("rotate", "/keys/:id/rotate")
      .annotateContext(
        described(
          "Rotate an API key",
          "Creates an API key with the same name, scopes and expiry; the old one stays valid for `overlap`. Only this response has the new key. At the key limit of the plan, keys that were rotated earlier expire immediately. Returns 403 `insufficient_scope` for a key that expires later than yours."
        )
      )
      .setPath(ids)
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(RotateKey))
      .addSuccess(Created(NewManagedKey), { status: 201 })
      .addSuccess(Created(NewManagedKey))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .middleware(KeysManage)
  )
  .prefix("/api/v1") {}
