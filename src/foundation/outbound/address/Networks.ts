import { listed } from "../../schema/Setting.ts"
import * as Cidr from "./Cidr.ts"

/** A setting that lists networks, none by default. */
export const networks = (variable: string) =>
  listed(variable, Cidr.parse, "a network: give ranges such as 127.0.0.0/8 or fd00::/8, separated by commas")
