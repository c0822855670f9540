import * as Context from "effect/Context"

/** Bytes of a request's body at most, an annotation of an endpoint; 256 KiB by default. */
export class BodyLimit extends Context.Reference<BodyLimit>()("http/BodyLimit", { defaultValue: () => 256 * 1024 }) {}

/** Values in a request's body at most, nested ones included; 1,000 by default. */
export class BodyValues extends Context.Reference<BodyValues>()("http/BodyValues", { defaultValue: () => 1000 }) {}
