import { afterAll } from "bun:test"
import { stopCluster } from "./cluster.ts"

afterAll(stopCluster)
