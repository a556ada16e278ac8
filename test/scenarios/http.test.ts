// The stories of this folder, played on the way "http".
import { playStories } from "./play.ts";

playStories("http");
