import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { AuditsRead, AuditsWrite } from "../accounts/Authorized.ts"
import { about, described } from "../http/Described.ts"
import { failure } from "../http/Failure.ts"
import { body, Data, inPath } from "../http/Wire.ts"
import { Audit } from "./Audit.ts"
import { AuditId } from "./AuditId.ts"
import { CreateAudit } from "./CreateAudit.ts"
import { FixDirective } from "./FixDirective.ts"

const OfAudit = Schema.Struct({ id: inPath(AuditId) })

/** There is no success: `Schema.Never` itself is no type that an endpoint takes. */
const Nothing = Schema.make<unknown>(AST.neverKeyword)

/** Completed audits and what to repair; the request for an audit is validated and goes no further. */
export class AuditsApi extends HttpApiGroup.make("audits")
  .annotateContext(about("Audit reports of single pages and what to repair."))
  .add(
    HttpApiEndpoint.post("create", "/audits")
      .annotateContext(
        described(
          "Ask for an audit",
          "Checks the request and answers 501: audits are run and scheduled by the operator, and none is created here."
        )
      )
      .setPayload(body(CreateAudit))
      .addSuccess(Nothing)
      .addError(failure("validation_error"))
      .addError(failure("not_implemented"))
      .middleware(AuditsWrite)
  )
  .add(
    HttpApiEndpoint.get("get", "/audits/:id")
      .annotateContext(
        described("Read an audit", "A completed audit of the caller: scores, Core Web Vitals, counts of findings.")
      )
      .setPath(OfAudit)
      .addSuccess(Data(Audit))
      .addError(failure("not_found"))
      .middleware(AuditsRead)
  )
  .add(
    HttpApiEndpoint.get("fixes", "/audits/:id/fixes")
      .annotateContext(
        described(
          "List fix directives",
          "What to repair after an audit, the most severe first, then by impact. `agent_prompt` is an instruction for a coding agent."
        )
      )
      .setPath(OfAudit)
      .addSuccess(Data(Schema.Array(FixDirective)))
      .addError(failure("not_found"))
      .middleware(AuditsRead)
  )
  .prefix("/api/v1") {}
