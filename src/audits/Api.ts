import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { AuditsRead, AuditsWrite } from "../accounts/Authorized.ts"
import { failure } from "../http/Failure.ts"
import { Data, inPath, input } from "../http/Wire.ts"
import { Audit } from "./Audit.ts"
import { AuditId } from "./AuditId.ts"
import { CreateAudit } from "./CreateAudit.ts"
import { FixDirective } from "./FixDirective.ts"

const OfAudit = Schema.Struct({ id: inPath(AuditId) })

/** There is no success: `Schema.Never` itself is no type that an endpoint takes. */
const Nothing = Schema.make<unknown>(AST.neverKeyword)

/** Completed audits and what to repair; the request for an audit is validated and goes no further. */
export class AuditsApi extends HttpApiGroup.make("audits")
  .add(
    HttpApiEndpoint.post("create", "/audits")
      .setPayload(input(CreateAudit))
      .addSuccess(Nothing)
      .addError(failure("validation_error"))
      .addError(failure("not_implemented"))
      .middleware(AuditsWrite)
  )
  .add(
    HttpApiEndpoint.get("get", "/audits/:id")
      .setPath(OfAudit)
      .addSuccess(Data(Audit))
      .addError(failure("not_found"))
      .middleware(AuditsRead)
  )
  .add(
    HttpApiEndpoint.get("fixes", "/audits/:id/fixes")
      .setPath(OfAudit)
      .addSuccess(Data(Schema.Array(FixDirective)))
      .addError(failure("not_found"))
      .middleware(AuditsRead)
  )
  .prefix("/api/v1") {}
