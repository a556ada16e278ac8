// The stories of this folder, played on the way "memory".
import { playStories } from "./play.ts";

playStories("memory");
