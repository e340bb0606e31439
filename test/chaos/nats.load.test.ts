import { describeChaos } from "../support/chaos/describe-chaos.ts";

describeChaos("nats");
