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
  .add(
    HttpApiEndpoint.del("remove", "/key")
      .annotateContext(
        described(
          "Revoke the key in use",
          "Revokes the key that the request is sent with: its next request is refused. Any key may do this to itself. 404 as above."
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
      "The keys of the caller's account. A key manages those that have no more scopes than it has itself, and gives none more scopes or a later end than its own: 403 `insufficient_scope`."
    )
  )
  .add(
    list("list", "/keys", {
      summary: "List keys",
      description: "The account's keys that were not revoked, the oldest first (`created_at`, then `id`).",
      of: ManagedKey,
      scope: KeysManage
    })
  )
  .add(
    create("create", "/keys", {
      summary: "Create a key",
      description:
        "Creates a key; only this answer has its text, under `key`. Scopes that the caller's key does not have are 403 `insufficient_scope`, and so is an end later than its own, or none where it has one. An account with as many usable keys as its plan allows gets 422 `validation_error`, and one that created ten within a minute 429 `rate_limit_exceeded`.",
      of: NewManagedKey,
      payload: NewKey,
      scope: KeysManage
    })
  )
  .add(
    read("get", one, {
      summary: "Read a key",
      description: "One key of the account, without its text.",
      ids,
      of: ManagedKey,
      scope: KeysManage
    })
  )
  .add(
    change("patch", one, {
      summary: "Change a key",
      description:
        "Changes name, scopes or end of a key. Absent fields stay as they are. A key gets no scopes that the caller's key lacks, and neither more scopes nor another end where it would then outlive the caller's key. Keys of console sessions keep their scopes and their end (409).",
      ids,
      of: ManagedKey,
      payload: KeyPatch,
      scope: KeysManage
    }).addError(failure("conflict"))
  )
  .add(
    remove("remove", one, {
      summary: "Revoke a key",
      description: "Revokes a key: its next request is refused.",
      ids,
      scope: KeysManage
    })
  )
  .add(
    HttpApiEndpoint.post("rotate", "/keys/:id/rotate")
      .annotateContext(
        described(
          "Rotate a key",
          "Creates a key with the same name, scopes and end; the old one stays valid for `overlap`. Only this answer has the text of the new key. Where the account has as many usable keys as its plan allows, keys that were rotated earlier end at once. A key that ends later than the caller's is 403 `insufficient_scope`."
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
